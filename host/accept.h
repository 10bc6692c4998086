/* Connections of sockets that are listened to. */
#ifndef VENTUS_HOST_ACCEPT_H
#define VENTUS_HOST_ACCEPT_H

/* The next connection, not inherited by programs; -1: there is none, or it cannot be had. One that this process has no
 * descriptor or memory for stays where it is, and poll() says so again at once: then the call takes a moment (20 ms),
 * so that who asks again and again leaves the processor to others. */
int host_accept(int listener);

#endif
