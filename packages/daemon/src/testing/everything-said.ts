/** A sample file in which nothing is commented out any more, except the sentences. */
export function everythingSaid(sample: string): string {
  return sample.replaceAll(/^( *)#(?=\S)/gm, "$1");
}
