/* systemd_notify.h - report our state to systemd, if it asks for that (Type=notify). */
#ifndef DAEMON_SYSTEMD_NOTIFY_H
#define DAEMON_SYSTEMD_NOTIFY_H

/* "READY=1", "STOPPING=1", as sd_notify(3) lists them. Without NOTIFY_SOCKET nothing happens. */
void notify_systemd(const char *state);

#endif
