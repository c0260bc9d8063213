import { defineSearchAttributeKey } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import type { ScheduledTransferInput, ScheduledTransferView } from '../src/domain/flows';
import { evenWhenCancelled, tell } from './flow';
import { local } from './options';

/** The time at which a schedule's run was due, from the engine. It is the same at every try, even a late one. */
const DUE_AT = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

/** One transfer of a schedule. A transfer that has to wait gets a flow of its own. */
export function scheduledTransfer(input: ScheduledTransferInput): Promise<ScheduledTransferView> {
  return evenWhenCancelled(async () => {
    const { typedSearchAttributes, startTime } = workflowInfo();
    const dueAt = typedSearchAttributes.get(DUE_AT) ?? startTime;
    const view = await local.makeScheduledTransfer(input, dueAt.getTime());
    tell(view.status, 'nobody', `**${view.status}**: ${view.detail} Nothing more will happen here.`);
    return view;
  });
}
