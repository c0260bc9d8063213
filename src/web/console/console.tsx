import { Admin, CustomRoutes, Resource } from 'react-admin';
import { BrowserRouter, Route } from 'react-router-dom';
import { SignInPage } from './account/sign-in-page';
import { AREAS } from './areas';
import { HomePage } from './home/home-page';
import { Layout } from './look/layout';
import { darkTheme, lightTheme } from './look/theme';
import { show } from './registry';
import { dataProvider } from './server/data-provider';
import { queryClient } from './server/query-client';
import { authProvider } from './session/auth-provider';
import type { Person } from './session/session';
import { i18nProviderOf } from './words/i18n';

show(AREAS);
const i18nProvider = i18nProviderOf(AREAS);

/** The console: what the signed-in person's role has of all areas. The API decides what anybody may do. */
export function Console() {
  return (
    <BrowserRouter basename="/console">
      <Admin
        title="Tillway"
        authProvider={authProvider}
        dataProvider={dataProvider}
        i18nProvider={i18nProvider}
        queryClient={queryClient}
        layout={Layout}
        loginPage={SignInPage}
        dashboard={HomePage}
        theme={lightTheme}
        darkTheme={darkTheme}
        defaultTheme={matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'}
        requireAuth
        disableTelemetry
      >
        {(person?: Person) =>
          person && (
            <>
              {AREAS.flatMap((area) => area.resources ?? [])
                .filter(({ roles }) => roles.includes(person.role))
                .map(({ name, pages, nameOf }) => (
                  <Resource key={name} name={name} {...pages} recordRepresentation={nameOf ?? 'id'} />
                ))}
              <CustomRoutes>
                {AREAS.flatMap((area) => area.places ?? [])
                  .filter(({ roles, isBare }) => roles.includes(person.role) && !isBare)
                  .map(({ path, page }) => (
                    <Route key={path} path={`/${path}`} element={page} />
                  ))}
              </CustomRoutes>
              <CustomRoutes noLayout>
                {AREAS.flatMap((area) => area.places ?? [])
                  .filter(({ roles, isBare }) => roles.includes(person.role) && isBare)
                  .map(({ path, page }) => (
                    <Route key={path} path={`/${path}`} element={page} />
                  ))}
              </CustomRoutes>
            </>
          )
        }
      </Admin>
    </BrowserRouter>
  );
}
