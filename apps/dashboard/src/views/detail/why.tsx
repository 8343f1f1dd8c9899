import type { Explanation, KindsRead } from "@kintsugi/explanation";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ReadKind } from "../../data/kinds.ts";
import { explainCommand, type Shown } from "../../model/commands.ts";
import { lengthText } from "../../model/words.ts";
import { instantOf } from "@kintsugi/api";
import type { DashboardPage } from "../../state/page.ts";
import { ClusterCommand, Remedies } from "./command-line.tsx";

interface WhyProps {
  readonly page: DashboardPage;
  readonly object: Shown;
  readonly found: KindsRead[ReadKind] | undefined;
}

/**
 * The reasons for an object's state, the awaited event, and the actions that would change the
 * state.
 */
export function Why({ page, object, found }: WhyProps) {
  const explanation = useSignal<Explanation | undefined>(undefined);
  const version = page.cluster.version.value;
  useEffect(() => {
    void import("../../model/why.ts").then(({ explainedKind, whyOf }) => {
      const kind = explainedKind(object.kind);
      if (kind !== undefined && found !== undefined)
        explanation.value = whyOf(kind, found as never, page.cluster.world());
    });
  }, [version, found, object, page, explanation]);
  const { value } = explanation;
  const subject = `${object.kind} ${object.name}`;
  if (found === undefined) return <p class="quiet">{subject} no longer exists, so no timer waits for it.</p>;
  if (value === undefined) return <p class="quiet">The reasons are being worked out.</p>;
  return (
    <>
      <p class="state">{value.state.charAt(0).toUpperCase() + value.state.slice(1)}</p>
      {value.reasons.length === 0 && <p class="quiet">{subject} waits for nothing.</p>}
      <ol class="reasons">
        {value.reasons.map((reason, i) => (
          <li key={`${reason.code} ${i}`}>
            <p>{reason.because}</p>
            {reason.details !== undefined && (
              <ul>
                {reason.details.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            )}
            {reason.awaits !== undefined && (
              <p>
                {subject} waits for {reason.awaits}.
              </p>
            )}
            {reason.due !== undefined && <Due page={page} at={reason.due.at} timer={reason.due.timer} />}
            {reason.next !== undefined && <p>{reason.next}</p>}
            <Remedies page={page} remedies={reason.remedies ?? []} />
          </li>
        ))}
      </ol>
      <ClusterCommand page={page} text={explainCommand(object)} />
    </>
  );
}

function Due({ page, at, timer }: { page: DashboardPage; at: string; timer: string }) {
  const leftMs = (instantOf(at) ?? 0) - page.nowMs.value;
  return (
    <p>
      The {timer} {leftMs <= 0 ? "has ended." : `ends in ${lengthText(leftMs)}.`}
    </p>
  );
}
