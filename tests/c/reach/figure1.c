/*@ requires beg ≤ end; */
int bsearch(int a[], int n, int beg, int end) {
  int mid = (beg + end) / 2;
  if(beg == end) return -1;
  if(a[mid] == n) {
    return mid;
  } else if(a[mid] < n) {
    return bsearch(a, n, mid, end);
  } else {
    return bsearch(a, n, mid, beg);
  }
}
