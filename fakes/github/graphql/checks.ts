import { checkRunPayload } from '../payloads/checks.ts';
import {
  combinedStateOf,
  listCheckSuites,
  listLatestStatuses,
  listSuiteRuns,
  suiteConclusionOf,
  suiteStatusOf,
} from '../state/checks.ts';
import type {
  FakeAnnotation,
  FakeCheckRun,
  FakeCheckSuite,
  FakeCommitStatus,
  FakeRepository,
} from '../state/github-state.ts';
import { type GraphqlContext, requirePermission } from './access.ts';
import { createConnection } from './connection.ts';
import type { GraphqlObject } from './execute.ts';

/** A commit with its checks and statuses, which need permissions of their own. */
export function createCheckedCommit(context: GraphqlContext, repository: FakeRepository, sha: string): GraphqlObject {
  return {
    typeName: 'Commit',
    fields: {
      id: `C_${sha}`,
      oid: sha,
      checkSuites: (args) => {
        requirePermission(context, 'checks', 'read');
        const suites = listCheckSuites(repository, sha).map((suite) => createSuiteObject(context, repository, suite));
        return createConnection('CheckSuiteConnection', 'checkSuites', args, suites);
      },
      status: () => {
        requirePermission(context, 'statuses', 'read');
        return createStatusObject(sha, listLatestStatuses(repository, sha));
      },
    },
  };
}

function createSuiteObject(context: GraphqlContext, repository: FakeRepository, suite: FakeCheckSuite): GraphqlObject {
  const app = context.state.github.apps.get(suite.appId);
  const isWorkflow = app?.slug === 'github-actions';
  const workflow = { typeName: 'Workflow', fields: { id: `W_${suite.id}`, name: 'CI' } };
  return {
    typeName: 'CheckSuite',
    fields: {
      id: suite.nodeId,
      status: suiteStatusOf(repository, suite).toUpperCase(),
      conclusion: suiteConclusionOf(repository, suite)?.toUpperCase() ?? null,
      app:
        app === undefined
          ? null
          : { typeName: 'App', fields: { id: app.nodeId, databaseId: app.id, slug: app.slug, name: app.name } },
      workflowRun: isWorkflow ? { typeName: 'WorkflowRun', fields: { id: `WFR_${suite.id}`, workflow } } : null,
      checkRuns: (args) => {
        const { checkType } = Object(args['filterBy'] ?? {});
        const runs = listSuiteRuns(repository, suite.id, checkType === 'LATEST' ? 'latest' : 'all');
        const nodes = runs.map((run) => createCheckRunObject(context, repository, run));
        return createConnection('CheckRunConnection', 'checkRuns', args, nodes);
      },
    },
  };
}

export function createCheckRunObject(
  context: GraphqlContext,
  repository: FakeRepository,
  run: FakeCheckRun,
): GraphqlObject {
  requirePermission(context, 'checks', 'read');
  const { details_url: detailsUrl } = checkRunPayload(context.state.github, repository, run);
  return {
    typeName: 'CheckRun',
    fields: {
      ...{ id: run.nodeId, name: run.name, ...run.output },
      detailsUrl: String(detailsUrl),
      status: run.status.toUpperCase(),
      conclusion: run.conclusion?.toUpperCase() ?? null,
      annotations: (args) =>
        createConnection('CheckAnnotationConnection', 'annotations', args, run.annotations.map(createAnnotationObject)),
    },
  };
}

function createAnnotationObject({ path, message, title, level, startLine, endLine }: FakeAnnotation): GraphqlObject {
  const position = (line: number): GraphqlObject => {
    return { typeName: 'CheckAnnotationPosition', fields: { line, column: null } };
  };
  const span = { start: position(startLine), end: position(endLine) };
  const location = { typeName: 'CheckAnnotationSpan', fields: span };
  const fields = { path, message, title, annotationLevel: level.toUpperCase(), location };
  return { typeName: 'CheckAnnotation', fields };
}

/** Null for a commit without statuses. */
function createStatusObject(sha: string, latest: readonly FakeCommitStatus[]): GraphqlObject | null {
  if (latest.length === 0) return null;
  const contexts = latest.map(({ nodeId: id, context, description, state, targetUrl }) => ({
    typeName: 'StatusContext',
    fields: { id, context, description, state: state.toUpperCase(), targetUrl },
  }));
  return { typeName: 'Status', fields: { id: `S_${sha}`, state: combinedStateOf(latest).toUpperCase(), contexts } };
}
