import "./detail.css";
import type { KindsRead } from "@kintsugi/explanation";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ReadKind } from "../../data/kinds.ts";
import { describeCommand, getCommand, type Shown } from "../../model/commands.ts";
import { type DashboardPage, type PanelTab, panelTabs } from "../../state/page.ts";
import { type FocusPlace, placeOf } from "../focus-place.ts";
import { keepPictureInView } from "../keep-picture-in-view.ts";
import { ClusterCommand } from "./command-line.tsx";
import { EventList } from "./event-list.tsx";
import { Logs } from "./logs.tsx";
import { NodePanel } from "./node-panel.tsx";
import { PodPanel } from "./pod-panel.tsx";
import { hasActions, ActionPanel } from "./action-panel.tsx";
import { ServicePanel } from "./service-panel.tsx";
import { TerminalPanel } from "./terminal.tsx";
import { Why } from "./why.tsx";
import { WorkloadPanel } from "./workload-panel.tsx";

/** The plural names of the kinds that the panel finds. */
const pluralOf: Readonly<Record<string, ReadKind>> = {
  Pod: "pods",
  Node: "nodes",
  Deployment: "deployments",
  StatefulSet: "statefulsets",
  DaemonSet: "daemonsets",
  ReplicaSet: "replicasets",
  Job: "jobs",
  Service: "services",
};

/** Details of the selected object, next to the picture. */
export function DetailPanel({ page }: { page: DashboardPage }) {
  const object = page.selected.value;
  // An object that is opened from the panel of another object has the same opener.
  const opener = useRef<FocusPlace | undefined>(undefined);
  if (object === undefined) {
    opener.current = undefined;
    return null;
  }
  opener.current ??= placeOf(document.activeElement ?? document.body);
  return (
    <Panel
      key={`${object.kind}/${object.namespace}/${object.name}`}
      page={page}
      object={object}
      opener={opener.current}
    />
  );
}

/** The part of the page that is always there: the picture, which the keyboard scrolls. */
const picture = () => document.querySelector<HTMLElement>(".picture .scroller");

function Panel({ page, object, opener }: { page: DashboardPage; object: Shown; opener: FocusPlace }) {
  const title = useRef<HTMLHeadingElement>(null);
  const close = () => {
    page.selected.value = undefined;
    (opener.find() ?? picture())?.focus();
  };
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
    keepPictureInView();
  }, []);
  const own = panelTabs.filter((each) => {
    if (each === "Logs") return object.kind === "Pod" && page.recorded === undefined;
    if (each === "Terminal") return object.kind === "Pod" && page.hasTerminals.value;
    return each !== "Break" || hasActions(page, object);
  });
  const shown = own.includes(page.tab.value) ? page.tab.value : "Facts";
  const hadTerminal = useSignal(false);
  if (shown === "Terminal") hadTerminal.value = true;
  return (
    <div
      class="detail"
      role="dialog"
      aria-labelledby="detail-title"
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      {/* The page has one banner, so this element is not a header. */}
      <div class="head">
        <h2 id="detail-title" ref={title} tabIndex={-1}>
          <span class="kind">{object.kind}</span> {object.name}
          {object.namespace !== "" && <small> in {object.namespace}</small>}
        </h2>
        <button type="button" class="close" aria-label="Close" onClick={close}>
          ×
        </button>
      </div>
      <div role="tablist" aria-label="Details" onKeyDown={(event) => moveTab(event, page, { own, shown })}>
        {own.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`tab-${each}`}
            aria-selected={each === shown}
            aria-controls="detail-body"
            tabIndex={each === shown ? 0 : -1}
            onClick={() => (page.tab.value = each)}
          >
            {each}
          </button>
        ))}
      </div>
      <div class="body" id="detail-body" role="tabpanel" aria-labelledby={`tab-${shown}`} tabIndex={0}>
        <Body page={page} object={object} tab={shown} />
        {/* A command continues behind other tabs, and ends with the panel of its pod. */}
        {hadTerminal.value && own.includes("Terminal") && (
          <div hidden={shown !== "Terminal"}>
            <KeptTerminal page={page} pod={object} />
          </div>
        )}
      </div>
    </div>
  );
}

/** Left and right select the neighboring tab, as in every list of tabs. */
function moveTab(
  event: KeyboardEvent,
  page: DashboardPage,
  { own, shown }: { own: readonly PanelTab[]; shown: PanelTab },
): void {
  const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  const next = own[(own.indexOf(shown) + by + own.length) % own.length] ?? "Facts";
  page.tab.value = next;
  document.getElementById(`tab-${next}`)?.focus();
}

function KeptTerminal({ page, pod }: { page: DashboardPage; pod: Shown }) {
  void page.cluster.version.value;
  return <TerminalPanel page={page} pod={pod} found={page.cluster.find("pods", pod)} />;
}

function Body({ page, object, tab: shown }: { page: DashboardPage; object: Shown; tab: PanelTab }): ComponentChildren {
  void page.cluster.version.value;
  const plural = pluralOf[object.kind];
  const found = plural === undefined ? undefined : page.cluster.find(plural, object);
  switch (shown) {
    case "Why":
      return <Why page={page} object={object} found={found} />;
    case "Events":
      return <EventList page={page} object={object} />;
    case "Logs":
      return <Logs page={page} pod={object} />;
    case "Terminal":
      return null;
    case "Break":
      return <ActionPanel page={page} object={object} found={found} />;
    case "Facts":
      return (
        <>
          {found === undefined ? (
            <p class="quiet">
              {object.kind} {object.name} is gone, or you may not read it. Its past is in the picture and in the list.
            </p>
          ) : (
            <Facts page={page} object={object} found={found} />
          )}
          <ClusterCommand page={page} text={describeCommand(object)} />
          <ClusterCommand page={page} text={getCommand(object)} />
        </>
      );
  }
}

function Facts({
  page,
  object,
  found,
}: {
  page: DashboardPage;
  object: Shown;
  found: KindsRead[ReadKind];
}): ComponentChildren {
  switch (object.kind) {
    case "Pod":
      return <PodPanel page={page} pod={found as KindsRead["pods"]} />;
    case "Node":
      return <NodePanel page={page} node={found as KindsRead["nodes"]} />;
    case "Service":
      return <ServicePanel page={page} service={found as KindsRead["services"]} />;
    default:
      return <WorkloadPanel page={page} object={object} found={found as KindsRead["deployments"]} />;
  }
}
