/**
 * The full form of an image's name, as stored by containerd and completed by Docker's
 * distribution/reference: "busybox" → "docker.io/library/busybox:latest". A registry or a digest in
 * the name is kept.
 */
export function fullImageName(name: string): string {
  const [registry, ...path] = name.split("/");
  const hasRegistry = path.length > 0 && (/[.:]/.test(registry ?? "") || registry === "localhost");
  const located = hasRegistry ? name : `docker.io/${path.length === 0 ? "library/" : ""}${name}`;
  const last = located.slice(located.lastIndexOf("/"));
  return /[:@]/.test(last) ? located : `${located}:latest`;
}

/** Reports whether a kubelet pulls this image at each start, unless its pod has a policy. */
export function isPulledAlways(fullName: string): boolean {
  return fullName.endsWith(":latest");
}
