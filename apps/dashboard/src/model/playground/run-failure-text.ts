/** A run's failure without the object that it ends with, whose text would fill the page. */
export function runFailureText(failure: string): string {
  return failure.replace(/: \{"[^]*$/, "");
}
