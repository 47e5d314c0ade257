/** The part of cli-progress 3.12 that we use; the package carries no types. */
declare module "cli-progress" {
  class SingleBar {
    constructor(options: object);
    start(total: number, value: number, payload: object): void;
    update(value: number, payload: object): void;
    stop(): void;
  }
  const progress: { readonly SingleBar: typeof SingleBar };
  export default progress;
}
