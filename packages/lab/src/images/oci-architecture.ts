/** Node's names of architectures, mapped to OCI's. */
const ociNames: Readonly<Record<string, string>> = {
  x64: "amd64",
  arm64: "arm64",
  arm: "arm",
  ppc64: "ppc64le",
  s390x: "s390x",
};

/** This machine's architecture in OCI's words. */
export function ociArchitecture(): string {
  return ociNames[process.arch] ?? process.arch;
}
