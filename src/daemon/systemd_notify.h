/* systemd_notify.h - reports the state of this process to systemd (Type=notify). */
#ifndef DAEMON_SYSTEMD_NOTIFY_H
#define DAEMON_SYSTEMD_NOTIFY_H

/* Send a state of sd_notify(3), such as "READY=1". Does nothing if NOTIFY_SOCKET is not set. */
void notify_systemd(const char *state);

#endif
