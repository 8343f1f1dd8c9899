/**
 * The encoding of values on the disk and in snapshots. Memory, windows and watchers have values as
 * they were written, so only the disk and snapshots show the encoding.
 */
export interface StoredValues {
  /** Returns the bytes for the disk. */
  seal(key: string, value: Uint8Array): Uint8Array;
  /**
   * Returns the value that was sealed; `stale` when it would now be sealed in another way.
   * @throws Error with the reason.
   */
  open(key: string, stored: Uint8Array): { value: Uint8Array; stale: boolean };
}

/** Values are stored on the disk unchanged. */
export const plainValues: StoredValues = {
  seal: (_key, value) => value,
  open: (_key, value) => ({ value, stale: false }),
};
