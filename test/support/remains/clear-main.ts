import { clearRemains } from "./clear.ts";

await clearRemains((line) => console.error(line));
