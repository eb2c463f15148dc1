void overflow(int n) {
    int a[n]; int i;
    for(i = 0; i <= n; i++) a[i] = 0; //~ boundary-error
}
