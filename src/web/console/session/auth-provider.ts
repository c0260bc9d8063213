import type { AuthProvider } from 'react-admin';
import { ApiError } from '../server/api';
import { type Person, signOut, whoAmI } from './session';

/** What react-admin asks about the person in front of it. */
export const authProvider: AuthProvider = {
  // The page of signing in makes the session; react-admin only needs to know that there is one.
  login: () => whoAmI(true).then(() => undefined),
  logout: async () => {
    await signOut();
  },
  checkAuth: async () => {
    // Whoever has left the page of the first factor begins again with the password.
    if ((await whoAmI()).mustEnrol) throw new ApiError('second factor', 403, 'second_factor_missing');
  },
  checkError: async (error: unknown) => {
    if (!(error instanceof ApiError)) return;
    if (error.status === 401) throw error;
    // Another admin took this person's factors away: only a new one opens the console again.
    if (error.code === 'second_factor_missing') location.assign('/console');
  },
  getIdentity: async () => {
    const { userId, name, email } = await whoAmI();
    return { id: userId, fullName: name ?? email };
  },
  getPermissions: async (): Promise<Person> => whoAmI(),
};
