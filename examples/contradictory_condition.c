/* Two tests that cannot both hold: `&&` was written where `||` was meant, so nothing is ever refused. */

enum { SMALLEST_PORT = 1, LARGEST_PORT = 65535 };

int set_port(int *port, int wanted)
{
    if (wanted < SMALLEST_PORT && wanted > LARGEST_PORT)
        return -1;
    *port = wanted;
    return 0;
}
