/** A stored run or proposal has a form that this version does not know; whoever meets it parks it and never guesses (S84). */
export class UnknownSchema extends Error {
  readonly pullKey: string;
  readonly schema: number;
  constructor(pullKey: string, schema: number) {
    super(`The stored run of ${pullKey} has form ${schema}, which this version of Countersign does not know`);
    this.name = 'UnknownSchema';
    this.pullKey = pullKey;
    this.schema = schema;
  }
}
