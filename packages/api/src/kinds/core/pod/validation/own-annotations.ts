import type { Faults } from "../../../../validation/faults.ts";
import { parsePodEscalation, podEscalationAnnotation } from "../rules/pod-escalation.ts";
import { parsePodFence, podFenceAnnotation } from "../rules/pod-fence.ts";
import { parsePodBackoff, podBackoffAnnotation } from "../rules/pod-restart.ts";

/**
 * Validates Kintsugi's own annotations. Pods inherit them from a template, and every pod of a
 * faulty template would be rejected.
 */
export function validateOwnAnnotations(
  annotations: Readonly<Record<string, string>>,
  path: string,
  faults: Faults,
): void {
  const readers = [
    [podBackoffAnnotation, parsePodBackoff],
    [podEscalationAnnotation, parsePodEscalation],
    [podFenceAnnotation, parsePodFence],
  ] as const;
  for (const [name, read] of readers) {
    const text = annotations[name];
    if (text === undefined) continue;
    try {
      read(text);
    } catch (error) {
      faults.invalid(`${path}[${name}]`, text, (error as Error).message);
    }
  }
}
