import { canMoveBy, type Moves } from './moves';

/** The states of a schedule of transfers: it ends with its last transfer. */
export const SCHEDULE_STATUSES = ['active', 'ended', 'cancelled'] as const;

export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];

/** Every move a schedule may make. */
export const SCHEDULE_TRANSITIONS: Moves<ScheduleStatus> = {
  active: ['ended', 'cancelled'],
  ended: [],
  cancelled: [],
};

export const canScheduleBecome = canMoveBy(SCHEDULE_TRANSITIONS);
