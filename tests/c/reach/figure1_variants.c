// Figure 1 of the paper where its claim is true: the swapped call always breaks the callee's precondition.
// In figure1.c itself the call is fine for end == beg + 1, where mid is beg: bsearch(a, n, 0, 0) keeps the contract.

// The paper means a division of rationals: the middle lies strictly above beg. So it does once two elements are left.
/*@ requires beg ≤ end; */
int two_left_bad(int a[], int n, int beg, int end) {
  int mid = (beg + end) / 2;
  if(beg + 1 >= end) return -1;
  if(a[mid] == n) {
    return mid;
  } else if(a[mid] < n) { //~ fatal-branch
    return two_left_bad(a, n, mid, end);
  } else {
    return two_left_bad(a, n, mid, beg);
  }
}

// A strict contract: nothing is below beg, and an empty range cannot be asked for.
/*@ requires beg < end; @*/
int strict_bad(int a[], int n, int beg, int end) {
  int mid = (beg + end) / 2;
  if(beg == end) return -1; //~ contradictory-condition
  if(a[mid] == n) {
    return mid;
  } else if(a[mid] < n) { //~ fatal-branch
    return strict_bad(a, n, mid, end);
  } else {
    return strict_bad(a, n, mid, beg);
  }
}

// Without the middle in either half.
//@ requires beg <= end;
int without_middle_bad(int a[], int n, int beg, int end) {
  int mid = beg + (end - beg) / 2;
  if(beg == end) return -1;
  if(a[mid] == n) return mid;
  if(a[mid] < n) //~ fatal-branch
    return without_middle_bad(a, n, mid + 1, end);
  return without_middle_bad(a, n, mid + 1, beg);
}

// The arguments in their order.
/*@ requires beg ≤ end; */
int search_ok(int a[], int n, int beg, int end) {
  int mid = beg + (end - beg) / 2;
  if(beg == end) return -1;
  if(a[mid] == n) {
    return mid;
  } else if(a[mid] < n) {
    return search_ok(a, n, mid + 1, end);
  } else {
    return search_ok(a, n, beg, mid);
  }
}

// Without a contract nothing is known of the arguments.
int no_contract_ok(int a[], int n, int beg, int end) {
  int mid = (beg + end) / 2;
  if(beg + 1 >= end) return -1;
  if(a[mid] == n) return mid;
  if(a[mid] < n) return no_contract_ok(a, n, mid, end);
  return no_contract_ok(a, n, mid, beg);
}
