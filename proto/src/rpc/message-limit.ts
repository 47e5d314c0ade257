/** Largest message either side takes. Larger things go as streams of chunks. */
export const maxMessageBytes = 4 << 20;
