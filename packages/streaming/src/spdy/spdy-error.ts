/** The peer violated SPDY's rules; the connection cannot continue. */
export class SpdyError extends Error {
  override readonly name = "SpdyError";
}
