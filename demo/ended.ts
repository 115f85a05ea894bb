/** Ends the demo early. The message is one line for the user. */
export class DemoEndedError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}
