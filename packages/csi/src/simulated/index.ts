export { FakeCloud, type FakeCloudOptions } from "./fake-cloud.ts";
