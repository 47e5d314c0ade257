/** The largest message that either side accepts. Larger things are streamed in chunks. */
export const maxMessageBytes = 4 << 20;
