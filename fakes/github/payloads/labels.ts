import type { JsonObject } from '../../lib/json.ts';
import type { FakeLabel, FakePullRequest, FakeRepository, GitHubState } from '../state/github-state.ts';
import { repositoryApiUrl } from './repositories.ts';

export function labelPayload(
  github: GitHubState,
  repository: FakeRepository,
  { id, nodeId, name, color }: FakeLabel,
): JsonObject {
  const url = `${repositoryApiUrl(github, repository)}/labels/${encodeURIComponent(name)}`;
  return { id, node_id: nodeId, url, name, color, default: false, description: '' };
}

/** The labels of a pull request in its payloads. */
export function labelsPayload(
  github: GitHubState,
  repository: FakeRepository,
  { labels }: Pick<FakePullRequest, 'labels'>,
): readonly JsonObject[] {
  return labels.flatMap((name) => {
    const label = repository.labels.get(name);
    return label === undefined ? [] : [labelPayload(github, repository, label)];
  });
}
