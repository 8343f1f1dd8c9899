import type { KindsRead } from "@kintsugi/explanation";
import { signal } from "@preact/signals";
import type { ReadKind } from "../../data/kinds.ts";
import type { PokeRequest } from "../../model/lab.ts";
import type { Shown } from "../../model/commands.ts";
import { nodePokes, podPokes, type PokeChoice, workloadPokes } from "../../model/pokes.ts";
import type { DashboardPage } from "../../state/page.ts";
import { ClusterCommand } from "./command-line.tsx";

interface Outcome {
  readonly text: string;
  readonly isRefusal: boolean;
  readonly undo?: PokeChoice["undo"];
}

/** The outcome of the last poke stays when another object is chosen. */
const outcome = signal<Outcome | undefined>(undefined);
/** One poke at a time: a machine takes seconds to be gone. */
const isBusy = signal(false);

const scaled: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "ReplicaSet"]);

/** Reports whether there is anything to poke. */
export function isPokeable({ lab }: DashboardPage, { kind }: Shown): boolean {
  return lab.value !== undefined && (kind === "Node" || kind === "Pod" || scaled.has(kind));
}

/** Faults and changes of an object of a lab, each beside its command. */
export function PokePanel({
  page,
  object,
  found,
}: {
  page: DashboardPage;
  object: Shown;
  found: KindsRead[ReadKind] | undefined;
}) {
  const choices = choicesOf(page, object, found);
  const act = async (poke: PokeRequest, undo: PokeChoice["undo"]) => {
    isBusy.value = true;
    try {
      const text = await page.poke(poke);
      outcome.value = { text, isRefusal: false, ...(undo === undefined ? {} : { undo }) };
    } catch (error) {
      outcome.value = { text: (error as Error).message, isRefusal: true };
    } finally {
      isBusy.value = false;
    }
  };
  const { value } = outcome;
  return (
    <div class="pokes">
      <p class={value?.isRefusal === true ? "refusal" : "calm"} role="status">
        {isBusy.value ? "It is being done." : (value?.text ?? "This lab is yours: break it, and watch it mend.")}
      </p>
      {value?.undo !== undefined && (
        <UndoButton undo={value.undo} onUndo={(poke) => void act(poke, undefined)} isBusy={isBusy.value} />
      )}
      {choices.length === 0 && <p class="calm">Nothing can be done to it now.</p>}
      {choices.map((choice) => (
        <div key={choice.label} class="poke">
          <button type="button" disabled={isBusy.value} onClick={() => void act(choice.poke, choice.undo)}>
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
  undo: NonNullable<PokeChoice["undo"]>;
  onUndo: (poke: PokeRequest) => void;
  isBusy: boolean;
}) {
  return (
    <button type="button" class="undo" disabled={busy} onClick={() => onUndo(undo.poke)}>
      Undo: {undo.label}
    </button>
  );
}

function choicesOf(page: DashboardPage, object: Shown, found: KindsRead[ReadKind] | undefined): PokeChoice[] {
  if (object.kind === "Node") {
    const machine = page.lab.value?.[object.name];
    return machine === undefined ? [] : nodePokes(object.name, machine, found as KindsRead["nodes"] | undefined);
  }
  if (found === undefined) return [];
  return object.kind === "Pod"
    ? podPokes(found as KindsRead["pods"])
    : workloadPokes(object, found as KindsRead["deployments"]);
}
