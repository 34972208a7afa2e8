/* systemd_notify.h - telling systemd how we are, where it wants to know (Type=notify). */
#ifndef DAEMON_SYSTEMD_NOTIFY_H
#define DAEMON_SYSTEMD_NOTIFY_H

/* "READY=1", "STOPPING=1", as sd_notify(3) lists them. Without NOTIFY_SOCKET nothing happens. */
void notify_systemd(const char *state);

#endif
