/* A pointer is used first and tested for NULL afterwards. Either the test is needless, or the use is wrong:
   no run that gets past line 13 without failing can take the branch at line 15. */

#include <stddef.h>

struct session {
    int user;
    struct session *next;
};

int owner_of(struct session *session)
{
    int user = session->user;

    if (session == NULL)
        return -1;
    return user;
}
