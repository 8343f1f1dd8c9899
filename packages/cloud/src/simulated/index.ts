export { aGroup, FakeLabCloud, FakeMachines } from "./fake-machines.ts";
