/** The state of a member's database, as reported by Status. */
export interface EtcdStatus {
  readonly version: string;
  /** The bytes of the file, which `--quota-backend-bytes` limits. */
  readonly databaseBytes: number;
  /** The bytes of the database that contain data; the rest is free for the next writes. */
  readonly usedBytes: number;
  /** Errors that the member reports, such as "memberID:… alarm:NOSPACE". */
  readonly errors: readonly string[];
}

/** etcd's own default of `--quota-backend-bytes`. */
export const quotaBytesDefault = 2 * 1024 ** 3;
/**
 * An etcd at its quota rejects all puts, and a commit always puts the head. So writes that can wait
 * are rejected earlier, and the remaining room is for deletes, Leases, and their history.
 */
const importantShare = 0.1;

/** Decides whether only important writes should be accepted. */
export function lacksRoom({ usedBytes, errors }: EtcdStatus, quotaBytes: number): boolean {
  return hasSpaceAlarm(errors) || usedBytes >= quotaBytes * (1 - importantShare);
}

/** The alarm remains until an administrator disarms it; in the meantime writes fail. */
function hasSpaceAlarm(errors: readonly string[]): boolean {
  return errors.some((error) => error.includes("NOSPACE"));
}

/** The remedy for an etcd without room, as a sentence. */
export const spaceAlarmText =
  "etcd has reached its quota and rejects writes: give its members a larger --quota-backend-bytes, or remove objects; then run `etcdctl defrag --cluster` and `etcdctl alarm disarm`";
