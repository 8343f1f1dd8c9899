/** A sample file with all settings uncommented, except the sentences. */
export function everythingSaid(sample: string): string {
  return sample.replaceAll(/^( *)#(?=\S)/gm, "$1");
}
