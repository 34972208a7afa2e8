#include "daemon/systemd_notify.h"

#include "base/auto.h"
#include "base/log.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

void notify_systemd(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    struct str text = str_of(state);
    AUTO_FD fd = -1;

    if (!path || !*path || !str_to_c(str_of(path), a.sun_path, sizeof(a.sun_path)))
        return;
    if (a.sun_path[0] == '@') /* a socket in the abstract namespace */
        a.sun_path[0] = 0;
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || sendto(fd, text.p, text.n, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&a,
                         (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))) < 0)
        LOG(LOG_WARN, "serve", "cannot notify systemd", LOG_Z("state", state),
            LOG_Z("why", strerror(errno)));
}
