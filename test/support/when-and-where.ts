import { cpus, release } from "node:os";

/**
 * Describes a run whose results are kept: "2026-11-22, on 2 cores of AMD EPYC, Linux 6.18.44, Node
 * 20.20.2".
 */
export function whenAndWhere(): string {
  const [processor] = cpus();
  const today = new Date().toISOString().slice(0, 10);
  const [kernel] = release().split("-");
  return `${today}, on ${cpus().length} cores of ${processor?.model ?? "?"}, Linux ${kernel}, Node ${process.versions.node}`;
}
