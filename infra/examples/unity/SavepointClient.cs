using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.Networking;

namespace Savepoint
{
    /// <summary>
    /// Calls a Savepoint server from Unity (2021.3 or later). Every write has a key of its own and is sent again with it while nobody answers, so
    /// it happens once.
    /// </summary>
    /// <example><code>
    /// var savepoint = new SavepointClient("http://127.0.0.1:8080", project, publicKey);
    /// await savepoint.SignIn();
    /// Answer&lt;Dug&gt; dug = await savepoint.Dig("Ada");
    /// if (dug.Ok) Debug.Log(dug.Body.gold);
    /// else Debug.Log(dug.Code + ": " + dug.Message);
    /// </code></example>
    public sealed class SavepointClient
    {
        /// <summary>What this file asks for: name, method, path. Every request below is one of these rows.</summary>
        static readonly Dictionary<string, string[]> Requests = new Dictionary<string, string[]>
        {
            ["register"] = new[] { "POST", "/v3/guests/{project}/register" },
            ["dig"] = new[] { "POST", "/v3/endpoints/{project}/dig" },
            ["upgrade"] = new[] { "POST", "/v3/endpoints/{project}/upgrade" },
            ["profile"] = new[] { "GET", "/v3/storage/{project}/players/{player}" },
            ["richest"] = new[] { "GET", "/v3/queries/{project}/richest?limit=10&platformId={player}" },
        };

        /// <summary>What every request says of itself; a write adds its Idempotency-Key.</summary>
        static readonly Dictionary<string, string> Headers = new Dictionary<string, string>
        {
            ["x-public-key"] = "{key}",
            ["x-platform-id"] = "{player}",
            ["x-platform-token"] = "{token}",
            ["x-ns-client-type"] = "game",
            ["content-type"] = "application/json",
        };

        const int Tries = 4;
        const int TimeoutSeconds = 15;
        /// <summary>Whoever has what lies under this name in PlayerPrefs is the player.</summary>
        const string SecretName = "savepoint_guest";

        readonly string url;
        readonly string project;
        readonly string publicKey;
        string player;
        string token;

        /// <summary>With a login of your own, give the player and its token; otherwise call <see cref="SignIn"/> first.</summary>
        public SavepointClient(string url, string project, string publicKey, string player = "", string token = "")
        {
            this.url = url;
            this.project = project;
            this.publicKey = publicKey;
            this.player = player;
            this.token = token;
        }

        /// <summary>
        /// Makes this device a player: it makes a secret at its first start, keeps it, and the server makes a player of it, the same one each time.
        /// </summary>
        public async Task<Answer<Registered>> SignIn()
        {
            token = PlayerPrefs.GetString(SecretName, "");
            if (token == "")
            {
                var bytes = new byte[32];
                using (var random = RandomNumberGenerator.Create()) random.GetBytes(bytes);
                token = "ns_guest_" + Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');
                PlayerPrefs.SetString(SecretName, token);
                PlayerPrefs.Save();
            }
            Answer<Registered> registered = await Send<Registered>("register", "{}");
            if (registered.Ok) player = registered.Body.player;
            return registered;
        }

        /// <summary>Finds gold.</summary>
        public Task<Answer<Dug>> Dig(string name)
        {
            return Send<Dug>("dig", JsonUtility.ToJson(new DigBody { input = new DigInput { name = name } }));
        }

        /// <summary>Buys the next tool; refused with TOO_POOR.</summary>
        public Task<Answer<Upgraded>> Upgrade()
        {
            return Send<Upgraded>("upgrade", "{\"input\":{}}");
        }

        /// <summary>The player's own document.</summary>
        public Task<Answer<Profile>> Profile()
        {
            return Send<Profile>("profile", null);
        }

        /// <summary>The leaderboard, with the player's own row.</summary>
        public Task<Answer<Board>> Richest()
        {
            return Send<Board>("richest", null);
        }

        async Task<Answer<T>> Send<T>(string name, string body) where T : class
        {
            string[] request = Requests[name];
            string key = Guid.NewGuid().ToString("N");
            for (int attempt = 0; ; attempt++)
            {
                Answer<T> answer = await Attempt<T>(request[0], url + Filled(request[1]), body, key);
                bool passes = answer.Status == 0 || answer.Status == 429 || answer.Status >= 502;
                if (!passes || attempt + 1 == Tries) return answer;
                await Task.Delay((int)(300 * Math.Pow(2, attempt) * UnityEngine.Random.Range(0.5f, 1.5f)));
            }
        }

        async Task<Answer<T>> Attempt<T>(string method, string address, string body, string key) where T : class
        {
            using (var request = new UnityWebRequest(address, method))
            {
                request.downloadHandler = new DownloadHandlerBuffer();
                if (body != null) request.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(body));
                foreach (var header in Headers) request.SetRequestHeader(header.Key, Filled(header.Value));
                if (method == "POST") request.SetRequestHeader("idempotency-key", key);
                request.timeout = TimeoutSeconds;
                var done = new TaskCompletionSource<bool>();
                request.SendWebRequest().completed += _ => done.SetResult(true);
                await done.Task;
                return Read<T>((int)request.responseCode, request.downloadHandler.text, request.error);
            }
        }

        static Answer<T> Read<T>(int status, string text, string failure) where T : class
        {
            if (status == 0) return new Answer<T> { Code = "NETWORK", Message = failure };
            bool isJson = text != null && text.TrimStart().StartsWith("{");
            Refusal refusal = isJson ? JsonUtility.FromJson<Refusal>(text) : null;
            if (status < 300 && refusal != null && string.IsNullOrEmpty(refusal.error.code))
                return new Answer<T> { Ok = true, Status = status, Body = JsonUtility.FromJson<T>(text) };
            string code = refusal == null || string.IsNullOrEmpty(refusal.error.code) ? "HTTP_" + status : refusal.error.code;
            return new Answer<T> { Status = status, Code = code, Message = refusal == null ? failure : refusal.message };
        }

        string Filled(string text)
        {
            return text.Replace("{project}", project).Replace("{player}", player).Replace("{token}", token).Replace("{key}", publicKey);
        }
    }

    /// <summary>What came: the body, or the code and the words of a refusal. Status 0: nobody answered.</summary>
    public sealed class Answer<T> where T : class
    {
        public bool Ok;
        public int Status;
        public T Body;
        public string Code = "";
        public string Message = "";
    }

    // Members are called as on the wire, because JsonUtility reads them by name.
    [Serializable] public sealed class Registered { public string player; }
    [Serializable] public sealed class Dug { public int found; public int gold; }
    [Serializable] public sealed class Upgraded { public int tool; public int gold; }
    [Serializable] public sealed class Profile { public string name; public int gold; public int tool; }
    [Serializable] public sealed class Board { public Row[] entries; public Row player; }
    [Serializable] public sealed class Row { public int rank; public string key; public int value; public RowData data; }
    [Serializable] public sealed class RowData { public string name; public int tool; }
    [Serializable] sealed class DigBody { public DigInput input; }
    [Serializable] sealed class DigInput { public string name; }
    [Serializable] sealed class Refusal { public Problem error = new Problem(); public string message; }
    [Serializable] sealed class Problem { public string code; }
}
