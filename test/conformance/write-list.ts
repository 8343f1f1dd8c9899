import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatTestList, listTests, withList } from "./list-tests.ts";

const file = join(import.meta.dirname, "../../docs/conformance.md");
writeFileSync(file, withList(readFileSync(file, "utf8"), formatTestList(listTests())));
