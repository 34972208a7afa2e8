/* list.h - singly linked lists whose links are members of the items. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

/*
 * Remove `item` from the list that starts at `first`, if it is there. `next` is the name of the
 * member that links the items. That member of the removed item is not changed.
 */
#define LIST_UNLINK(first, item, next)                                                             \
    do {                                                                                           \
        __typeof__(first) *at_ = &(first);                                                         \
                                                                                                   \
        while (*at_ && *at_ != (item))                                                             \
            at_ = &(*at_)->next;                                                                   \
        if (*at_)                                                                                  \
            *at_ = (item)->next;                                                                   \
    } while (0)

#endif
