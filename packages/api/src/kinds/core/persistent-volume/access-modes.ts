/** Access modes and their abbreviations, in the order in which tables list them. */
const abbreviations = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** All access modes, sorted as messages list them. */
export const accessModes: readonly string[] = abbreviations.map(([mode]) => mode).toSorted();

/** `RWO,ROX` as tables print access modes. */
export function formatAccessModes(modes: readonly string[] | undefined): string {
  return abbreviations
    .filter(([mode]) => modes?.includes(mode))
    .map(([, abbreviation]) => abbreviation)
    .join(",");
}
