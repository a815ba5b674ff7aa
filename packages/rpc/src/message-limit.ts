/** The largest message either side takes; what may be larger is streamed. */
export const MAX_MESSAGE_BYTES = 64 << 20;
