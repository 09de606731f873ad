"""Pydantic AI's own examination of workspaces, in E2B's sandboxes."""

import pytest
from pydantic_ai.workspaces.conformance import WorkspaceBackendSuite
from pydantic_ai_harness.e2b_sandbox import E2BSandboxBackend


@pytest.fixture
def anyio_backend():
    return "asyncio"


class TestE2B(WorkspaceBackendSuite):
    @pytest.fixture
    async def backend(self, anyio_backend):
        backend = E2BSandboxBackend(template="base", sandbox_timeout=300)
        yield backend
        await (await backend.get_sandbox()).kill()

    @pytest.fixture
    def fresh_backend(self):
        return lambda: E2BSandboxBackend(template="base", sandbox_timeout=120)

    @pytest.fixture
    def attach_backend(self):
        return lambda ref: E2BSandboxBackend(ref=ref)

    @pytest.fixture
    def destroy_environment(self):
        async def destroy(backend):
            await (await backend.get_sandbox()).kill()

        return destroy
