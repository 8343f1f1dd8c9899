/** Access modes and their abbreviations, in the order in which tables list them. */
const abbreviations = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** All access modes, in the order of messages. */
export const accessModes: readonly string[] = abbreviations.map(([mode]) => mode).toSorted();

/** Formats access modes for tables: `RWO,ROX`. */
export function formatAccessModes(modes: readonly string[] | undefined): string {
  return abbreviations
    .filter(([mode]) => modes?.includes(mode))
    .map(([, abbreviation]) => abbreviation)
    .join(",");
}
