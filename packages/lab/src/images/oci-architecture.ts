/** Node's names of architectures, in OCI's words. */
const ociNames: Readonly<Record<string, string>> = {
  x64: "amd64",
  arm64: "arm64",
  arm: "arm",
  ppc64: "ppc64le",
  s390x: "s390x",
};

/** This machine's architecture as an image states it. */
export function ociArchitecture(): string {
  return ociNames[process.arch] ?? process.arch;
}
