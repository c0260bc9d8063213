import Joi from 'joi';

/** How a secret is replaced. */
export interface RotateBody {
  overlapSeconds?: number;
}
export const rotateBody = Joi.object<RotateBody>({
  overlapSeconds: Joi.number()
    .integer()
    .min(0)
    .description('How long the old value still works. By default 24 hours, at most 7 days; with 0 it stops at once'),
});
