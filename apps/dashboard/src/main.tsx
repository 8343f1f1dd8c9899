import { render } from "preact";
import { signal } from "@preact/signals";
import { explainObject, explainers } from "@kintsugi/explanation";
const x = signal(0);
(globalThis as any).x = { explainObject, explainers };
render(<p>{x}</p>, document.getElementById("app")!);
