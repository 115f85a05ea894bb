import { KnownFaultError } from '../../../lib/outage.ts';

/** The database cannot be opened. The message names the cause and the operator's next step. */
export class DatabaseError extends KnownFaultError {
  override readonly name = 'DatabaseError';
}

/** The statement that makes a database for Countersign, for messages to operators. */
export const CREATE_DATABASE = "create database countersign encoding 'UTF8' locale 'C' template template0";

/** A stored run or proposal has a schema version that this version does not know; callers must never guess (S84). */
export class UnsupportedSchemaError extends Error {
  readonly pullRequestKey: string;
  readonly schema: number;
  constructor(pullRequestKey: string, schema: number) {
    super(
      `The stored run of ${pullRequestKey} has schema version ${schema}, which this version of Countersign does not know`,
    );
    this.name = 'UnsupportedSchemaError';
    this.pullRequestKey = pullRequestKey;
    this.schema = schema;
  }
}
