import type { KindsRead } from "@kintsugi/explanation";
import { signal } from "@preact/signals";
import type { ReadKind } from "../../data/kinds.ts";
import type { LabActionRequest } from "../../model/lab.ts";
import type { Shown } from "../../model/commands.ts";
import { actionsOnNode, actionsOnPod, type ActionChoice, actionsOnWorkload } from "../../model/lab-actions.ts";
import type { DashboardPage } from "../../state/page.ts";
import { ClusterCommand } from "./command-line.tsx";

interface Outcome {
  readonly text: string;
  readonly isRefusal: boolean;
  readonly undo?: ActionChoice["undo"];
}

/** The outcome of the last action remains when another object is selected. */
const outcome = signal<Outcome | undefined>(undefined);
/** One action at a time, because stopping a machine takes seconds. */
const isBusy = signal(false);

const scaled: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "ReplicaSet"]);

/** Reports whether there is any action. */
export function hasActions({ lab }: DashboardPage, { kind }: Shown): boolean {
  return lab.value !== undefined && (kind === "Node" || kind === "Pod" || scaled.has(kind));
}

/** Faults and changes of an object of a lab, each next to its command. */
export function ActionPanel({
  page,
  object,
  found,
}: {
  page: DashboardPage;
  object: Shown;
  found: KindsRead[ReadKind] | undefined;
}) {
  const choices = choicesOf(page, object, found);
  const act = async (action: LabActionRequest, undo: ActionChoice["undo"]) => {
    isBusy.value = true;
    try {
      const text = await page.act(action);
      outcome.value = { text, isRefusal: false, ...(undo === undefined ? {} : { undo }) };
    } catch (error) {
      outcome.value = { text: (error as Error).message, isRefusal: true };
    } finally {
      isBusy.value = false;
    }
  };
  const { value } = outcome;
  return (
    <div class="lab-actions">
      <p class={value?.isRefusal === true ? "refusal" : "quiet"} role="status">
        {isBusy.value
          ? "The action is in progress."
          : (value?.text ?? "You can break this lab and watch its recovery.")}
      </p>
      {value?.undo !== undefined && (
        <UndoButton undo={value.undo} onUndo={(action) => void act(action, undefined)} isBusy={isBusy.value} />
      )}
      {choices.length === 0 && <p class="quiet">Nothing can be done to it now.</p>}
      {choices.map((choice) => (
        <div key={choice.label} class="lab-action">
          <button type="button" disabled={isBusy.value} onClick={() => void act(choice.action, choice.undo)}>
            {choice.label}
          </button>
          <ClusterCommand page={page} text={choice.command} />
        </div>
      ))}
    </div>
  );
}

function UndoButton({
  undo,
  onUndo,
  isBusy: busy,
}: {
  undo: NonNullable<ActionChoice["undo"]>;
  onUndo: (action: LabActionRequest) => void;
  isBusy: boolean;
}) {
  return (
    <button type="button" class="undo" disabled={busy} onClick={() => onUndo(undo.action)}>
      Undo: {undo.label}
    </button>
  );
}

function choicesOf(page: DashboardPage, object: Shown, found: KindsRead[ReadKind] | undefined): ActionChoice[] {
  if (object.kind === "Node") {
    const machine = page.lab.value?.[object.name];
    return machine === undefined ? [] : actionsOnNode(object.name, machine, found as KindsRead["nodes"] | undefined);
  }
  if (found === undefined) return [];
  return object.kind === "Pod"
    ? actionsOnPod(found as KindsRead["pods"])
    : actionsOnWorkload(object, found as KindsRead["deployments"]);
}
