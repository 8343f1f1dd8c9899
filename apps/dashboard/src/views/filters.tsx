import { useSignal } from "@preact/signals";
import { type DashboardPage, wholeRun } from "../state/page.ts";
import { workloadKey } from "@kintsugi/story";

const spans = [
  { label: "1 minute", ms: 60_000 },
  { label: "2 minutes", ms: 2 * 60_000 },
  { label: "5 minutes", ms: 5 * 60_000 },
  { label: "10 minutes", ms: 10 * 60_000 },
  { label: "15 minutes", ms: 15 * 60_000 },
  { label: "1 hour", ms: 60 * 60_000 },
];

/** Chooses the shown part of the cluster, and the shown time. */
export function Filters({ page, namespace }: { page: DashboardPage; namespace: string }) {
  const { filter, choices, spanMs } = page;
  const { workloads, namespaces, nodes } = choices.value;
  const isOpen = useSignal(false);
  const { namespace: only, workload, node, onlyWarnings } = filter.value;
  const active = [only, workload, node].filter((each) => each !== "").length + Number(onlyWarnings);
  const set = (change: Partial<typeof filter.value>) => (filter.value = { ...filter.value, ...change });
  return (
    <form
      class={isOpen.value ? "filters own open" : "filters own"}
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
    >
      <button type="button" class="fold" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        Filters{active > 0 && ` (${active})`}
      </button>
      {namespace === "" && (
        <Choice
          label="Namespace"
          all="all"
          value={filter.value.namespace}
          onChange={(value) => set({ namespace: value })}
        >
          {namespaces.map((each) => ({ value: each, label: each }))}
        </Choice>
      )}
      <Choice label="Workload" all="all" value={filter.value.workload} onChange={(value) => set({ workload: value })}>
        {workloads.map((each) => ({ value: workloadKey(each), label: `${each.name} (${each.kind})` }))}
      </Choice>
      <Choice label="Node" all="all" value={filter.value.node} onChange={(value) => set({ node: value })}>
        {nodes.map((each) => ({ value: each, label: each }))}
      </Choice>
      <Choice label="Past" value={String(spanMs.value)} onChange={(value) => (spanMs.value = Number(value))}>
        {[...(page.recorded === undefined ? [] : [{ label: "the whole run", ms: wholeRun }]), ...spans].map(
          ({ label, ms }) => ({ value: String(ms), label }),
        )}
      </Choice>
      <label class="check">
        <input
          type="checkbox"
          checked={filter.value.onlyWarnings}
          onChange={(event) => set({ onlyWarnings: event.currentTarget.checked })}
        />
        Only trouble
      </label>
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** The label of the choice of everything, if there is such a choice. */
  readonly all?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: readonly { value: string; label: string }[];
}

function Choice({ label, all, value, onChange, children }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {all !== undefined && <option value="">{all}</option>}
        {children.map((each) => (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ))}
      </select>
    </label>
  );
}
