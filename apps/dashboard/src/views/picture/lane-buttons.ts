import type { Bar } from "@kintsugi/story";
import type { Frame } from "../../drawing/frame.ts";
import { headHeight, lanesWithin, rowsOf } from "../../drawing/layout.ts";
import { aboveLanes } from "../../drawing/paint-pods.ts";
import { xOf } from "../../drawing/scale.ts";
import type { Shown } from "../../model/commands.ts";
import type { DashboardPage } from "../../state/page.ts";
import { openBreak } from "../break-button.tsx";

/** Limit on buttons; a window shows at most some twenty lanes. */
const buttonsMax = 60;
const podButtonWidth = 52;

/**
 * The buttons "Break" on the picture: one in each lane in view, and one on the pod under the
 * pointer.
 */
export class LaneButtons {
  readonly #page: DashboardPage;
  readonly #holder: HTMLElement;
  readonly #ofLane = new Map<string, HTMLButtonElement>();
  readonly #ofPod: HTMLButtonElement;
  #pod: Shown | undefined;

  constructor(page: DashboardPage, holder: HTMLElement) {
    this.#page = page;
    this.#holder = holder;
    this.#ofPod = this.#make("pod", () => this.#pod);
    // The table has the same button for each pod, which the keyboard reaches.
    this.#ofPod.tabIndex = -1;
  }

  /** Moves the buttons to the lanes of a frame. */
  place(frame: Frame, pointed: Bar | undefined): void {
    const { layout, scrollY, height } = frame;
    const shown = new Set<string>();
    for (const { lane, topY, height: laneHeight } of lanesWithin(layout, scrollY, scrollY + height)) {
      const isCovered = topY < scrollY + aboveLanes - 2 || topY + headHeight > scrollY + height;
      if (lane.node === "" || isCovered || laneHeight < headHeight || shown.size >= buttonsMax) continue;
      shown.add(lane.node);
      moveTo(this.#laneButton(lane.node), { x: 6, y: topY - 1 });
    }
    for (const [node, button] of this.#ofLane) button.hidden = !shown.has(node);
    this.#placePod(frame, pointed);
  }

  #placePod({ layout, scale }: Frame, pointed: Bar | undefined): void {
    const placed = pointed?.toMs === undefined && pointed !== undefined ? layout.laneOf.get(pointed.node) : undefined;
    const row = placed && rowsOf(placed, layout)[pointed?.row ?? 0];
    const isShown = row !== undefined && pointed !== undefined && pointed.node !== "" && row.height >= 9;
    this.#ofPod.hidden = !isShown;
    if (!isShown) return;
    this.#pod = { kind: "Pod", namespace: pointed.namespace, name: pointed.name };
    this.#ofPod.setAttribute("aria-label", `Break Pod ${pointed.name}`);
    const x = Math.max(xOf(scale, pointed.fromMs), scale.nowX - podButtonWidth);
    moveTo(this.#ofPod, { x, y: row.y + row.height / 2 - 12 });
  }

  #laneButton(node: string): HTMLButtonElement {
    const known = this.#ofLane.get(node);
    if (known !== undefined) return known;
    const button = this.#make("lane", () => ({ kind: "Node", namespace: "", name: node }));
    button.setAttribute("aria-label", `Break Node ${node}`);
    this.#ofLane.set(node, button);
    return button;
  }

  #make(kind: string, object: () => Shown | undefined): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = `break of-${kind}`;
    button.textContent = "Break";
    button.hidden = true;
    button.addEventListener("click", () => {
      const wanted = object();
      if (wanted !== undefined) openBreak(this.#page, wanted);
    });
    this.#holder.append(button);
    return button;
  }
}

function moveTo(button: HTMLButtonElement, { x, y }: { x: number; y: number }): void {
  const place = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  if (button.style.transform !== place) button.style.transform = place;
}
