/* Nothing here contradicts itself: every branch is taken by some run that ends without an error. */

#include <stddef.h>

struct item {
    int key;
    struct item *next;
};

const struct item *find(const struct item *list, int key)
{
    for (const struct item *item = list; item != NULL; item = item->next) {
        if (item->key == key)
            return item;
    }
    return NULL;
}

int key_or_zero(const struct item *list, int key)
{
    const struct item *found = find(list, key);
    return found ? found->key : 0;
}
