/** The clusters of this host belong to root, and this user lacks the permission to read them. */
export class RootNeeded extends Error {
  override readonly name = "RootNeeded";

  constructor(file: string, options?: ErrorOptions) {
    super(`${file} cannot be read without root: run the command with sudo`, options);
  }
}

/** Returns undefined for a file that does not exist. @throws RootNeeded if access is denied. */
export function absentUnlessDenied(file: string): (error: unknown) => undefined {
  return (error) => {
    const { code, path = file } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") throw new RootNeeded(path, { cause: error });
    return undefined;
  };
}
