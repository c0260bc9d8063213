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
    const person = await whoAmI();
    if (person.mustEnrol) throw { redirectTo: '/second-factor', message: false };
  },
  checkError: async (error: unknown) => {
    if (!(error instanceof ApiError)) return;
    if (error.status === 401) throw error;
    if (error.code === 'second_factor_missing') throw { redirectTo: '/second-factor', logoutUser: false };
  },
  getIdentity: async () => {
    const { userId, name, email } = await whoAmI();
    return { id: userId, fullName: name ?? email };
  },
  getPermissions: async (): Promise<Person> => whoAmI(),
};
